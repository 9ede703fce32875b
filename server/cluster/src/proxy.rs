//! Whether a server is reached through the proxy that the environment names.
//!
//! The client takes `HTTPS_PROXY` for every server, and compares `NO_PROXY` with the proxy itself.

use std::net::{IpAddr, Ipv4Addr};

use kube_client::config::Kubeconfig;

/// Whether the kubeconfig names a proxy for the cluster of a context.
pub(crate) fn is_named(kubeconfig: &Kubeconfig, context: &str) -> bool {
    let of = kubeconfig.contexts.iter().find(|it| it.name == context);
    let cluster = of.and_then(|it| it.context.as_ref()).map(|it| &it.cluster);
    let cluster = cluster.and_then(|name| kubeconfig.clusters.iter().find(|it| it.name == *name));
    let url = cluster.and_then(|it| it.cluster.as_ref()?.proxy_url.as_ref());
    url.is_some_and(|it| !it.is_empty())
}

/// Whether the environment says that a host is reached without a proxy.
pub(crate) fn goes_direct(host: &str) -> bool {
    let set = ["NO_PROXY", "no_proxy"]
        .into_iter()
        .find_map(|it| std::env::var(it).ok());
    is_excepted(host, set.as_deref().unwrap_or_default())
}

/// Whether a list of hosts, domains, addresses and networks holds a host. This machine is never behind a proxy.
fn is_excepted(host: &str, list: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || address.is_some_and(|it| it.is_loopback()) {
        return true;
    }
    list.split(',').map(str::trim).filter(|it| !it.is_empty()).any(|entry| {
        if entry == "*" {
            return true;
        }
        if let (Some(IpAddr::V4(address)), Some((network, bits))) = (address, entry.split_once('/')) {
            return is_within(address, network, bits);
        }
        let domain = entry.trim_start_matches("*.").trim_start_matches('.');
        host.eq_ignore_ascii_case(domain)
            || host
                .to_ascii_lowercase()
                .ends_with(&format!(".{}", domain.to_ascii_lowercase()))
    })
}

fn is_within(address: Ipv4Addr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<Ipv4Addr>(), bits.parse::<u32>()) else {
        return false;
    };
    let rest = 32_u32.saturating_sub(bits);
    let prefix = |it: Ipv4Addr| it.to_bits().checked_shr(rest).unwrap_or(0);
    prefix(address) == prefix(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excepts_hosts_domains_and_networks() {
        for (host, list, expected) in [
            ("127.0.0.1", "", true),
            ("[::1]", "", true),
            ("api.example.com", "", false),
            ("api.example.com", "a.org, .example.com", true),
            ("api.example.com", "example.com", true),
            ("API.example.com", "*.Example.com", true),
            ("notexample.com", "example.com", false),
            ("10.1.2.3", "10.0.0.0/8", true),
            ("11.1.2.3", "10.0.0.0/8", false),
            ("11.1.2.3", "10.0.0.0/0", true),
            ("10.1.2.3", "10.1.2.3", true),
            ("anything", "*", true),
        ] {
            assert_eq!(is_excepted(host, list), expected, "{host} in {list:?}");
        }
    }
}
