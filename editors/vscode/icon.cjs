// Makes images/icon.png of images/icon.svg. usage: node icon.cjs CODE_SERVER_FOLDER (the one that tests/editors/install.sh installs)
const fs = require("node:fs");
const path = require("node:path");

const { chromium } = require(path.join(path.resolve(process.argv[2]), "node_modules/playwright-core"));
const images = path.join(__dirname, "images");
const size = { width: 128, height: 128 };
(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage({ viewport: size });
    await page.setContent(`<style>body { margin: 0; background: transparent } svg { display: block }</style>${fs.readFileSync(path.join(images, "icon.svg"), "utf8")}`);
    await page.screenshot({ path: path.join(images, "icon.png"), omitBackground: true });
  } finally {
    await browser.close();
  }
})();
