// usage: speedscope.js BROWSER URL NAME: speedscope opens a profile, shows its name and no error.
'use strict';
const { chromium } = require('playwright-core');
const [executablePath, url, name] = process.argv.slice(2);
// On a busy machine an assertion of the page's own fails at times: one more try, for that alone.
const open = async (isLast) => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-gl=swiftshader', '--enable-unsafe-swiftshader'] });
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('dialog', (dialog) => { errors.push(dialog.message()); dialog.dismiss(); });
  page.on('console', (line) => { if (line.type() === 'error' && !/favicon|WebGL/.test(line.text())) errors.push(line.text()); });
  await page.goto(url);
  const wrong = /error|went wrong|could not|unrecognized/i;
  await page.waitForFunction(([wanted, bad]) => document.title.includes(wanted) || new RegExp(bad, 'i').test(document.body.innerText),
    [name, wrong.source], { timeout: 60000 }).catch(() => {});
  const shown = (await page.title()).includes(name);
  const text = await page.evaluate(() => document.body.innerText);
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  await browser.close();
  if (!shown || errors.length || wrong.test(text)) {
    if (!isLast && errors.length && errors.every((error) => error === 'Error: Assertion failed.')) return open(true);
    console.error(`title shown: ${shown}; errors: ${errors.join('; ')}; page: ${text.slice(0, 400)}`);
    process.exit(1);
  }
};
open(false).catch((error) => { console.error(error); process.exit(1); });
