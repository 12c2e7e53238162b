import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { webpOf } from './page.js'

const tokens = {
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
}

/** The page of a recipe of the cookbook over the sample of the examples, of which 20 s are missing. */
export const takeReportPicture = async (browser: Browser): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'))
  const path = (name: string) => join(folder, name)
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args])
  writeFileSync(path('tokens.json'), JSON.stringify(tokens))
  const rows = readFileSync('examples/data/top-of-book.csv', 'utf8').split('\n')
  const missing = [Math.round(rows.length * 0.35), Math.round(rows.length * 0.35) + rows.length / 4] as const
  writeFileSync(
    path('quotes.csv'),
    rows.filter((_, index) => index < missing[0] || index > missing[1]).join('\n'),
  )
  run('import', path('quotes.csv'), '--tokens', path('tokens.json'), '--out', path('market.ndjson'))
  run('backtest', path('market.ndjson'), 'examples/cookbook/reversion.ts', '--report', path('report.html'))
  const page = await browser.newPage({ viewport: { width: 1280, height: 1960 }, colorScheme: 'light' })
  await page.setContent(readFileSync(path('report.html'), 'utf8').replaceAll(`${folder}/`, ''))
  writeFileSync('docs/images/report.webp', await webpOf(browser, await page.screenshot()))
  await page.close()
  rmSync(folder, { recursive: true })
}
