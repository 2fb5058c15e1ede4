// usage: svg.js BROWSER URL: checks the flame graph of programs/call_ret.yaml, without and with its script.
'use strict';
const { chromium } = require('playwright-core');
const assert = require('assert');
const [executablePath, url] = process.argv.slice(2);

const look = () => ({
  frames: document.querySelectorAll('.f').length,
  titles: document.querySelectorAll('.f > title').length,
  wide: [...document.querySelectorAll('.f')].filter((g) => g.style.display !== 'none')
    .map((g) => [g.querySelector('title').textContent.split('\n')[0], g.querySelector('rect').width.baseVal.value]),
  labels: [...document.querySelectorAll('.f text')].map((text) => text.textContent),
  overflow: [...document.querySelectorAll('.f')].filter((g) => g.style.display !== 'none' &&
    g.querySelector('text').getBBox().width > g.querySelector('rect').width.baseVal.value + 1).length,
  searchShown: document.getElementById('find').style.display !== 'none',
  found: document.getElementById('found').textContent,
  error: document.querySelector('parsererror') ? 'not well-formed' : '',
});

(async () => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  for (const javaScriptEnabled of [false, true]) {
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(url);
    let seen = await page.evaluate(look);
    assert.strictEqual(seen.error, '');
    assert(seen.frames > 20 && seen.titles === seen.frames, `${seen.frames} frames, ${seen.titles} titles`);
    assert(seen.labels.includes('factorial') && seen.labels.some((label) => label.startsWith('50: call')), seen.labels.join());
    assert.strictEqual(seen.overflow, 0, 'names that are wider than their frames');
    assert.strictEqual(seen.searchShown, javaScriptEnabled);
    if (javaScriptEnabled) {
      const square = page.locator('.f', { has: page.locator('title', { hasText: /^square/ }) }).first();
      await square.click({ position: { x: 2, y: 2 } });
      seen = await page.evaluate(look);
      const width = new Map(seen.wide);
      assert(width.get('square') > 1170, `zoomed: ${width.get('square')}`);
      assert(!width.has('factorial'), 'what is beside the frame is gone');
      assert.strictEqual(seen.overflow, 0, 'names that are wider than their frames');
      if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
      await page.keyboard.press('Escape');
      seen = await page.evaluate(look);
      assert(new Map(seen.wide).get('factorial') > 500, 'Escape goes back');
      page.on('dialog', (dialog) => dialog.accept('mul.u32'));
      await page.click('#find');
      seen = await page.evaluate(look);
      assert(/"mul.u32": \d+\.\d\d %/.test(seen.found), seen.found);
    }
    assert.deepStrictEqual(errors, []);
  }
  await browser.close();
})().catch((error) => { console.error(error); process.exit(1); });
