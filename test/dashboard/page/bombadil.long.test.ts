import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { interval } from 'rxjs'
import { expect, onTestFinished, test } from 'vitest'
import { unpackChromium } from '../../browser/support/unpack-chromium.js'
import { startTestDashboard } from '../support/open-dashboard.js'
import { TestMarket } from '../support/test-market.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { runToExit, startServer } from '../../support/process/program.js'
import { caseCount } from '../../support/run/long.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const specification = fileURLToPath(new URL('bombadil-specification.ts', import.meta.url))

/** Sends the time of day as prices, in s. After 2 s it is lost or behind for 8 s, in turn. */
const runMarket = (market: TestMarket): void => {
  const faults = [() => market.disconnect('reset'), () => market.fallBehind(6_000)]
  const running = interval(100).subscribe((count) => {
    const step = count % 100
    const usd = (Date.now() % 86_400_000) / 1000
    if (step === 20) faults[Math.floor(count / 100) % faults.length]?.()
    if (step === 0) market.connect()
    if (step < 20) {
      market.sendEth(usd)
      market.sendBtc(usd)
    }
  })
  onTestFinished(() => running.unsubscribe())
}

test('Bombadil finds no action after which the dashboard shows what is not true', async () => {
  const market = new TestMarket()
  const { url } = await startTestDashboard(market.client)
  runMarket(market)
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  const { executablePath = '', args = [], env } = await unpackChromium()
  for (let run = 0; run < caseCount(15); run++) {
    // Bombadil ends the browser with its run.
    const port = await findUnusedPort()
    await startServer(
      [
        executablePath,
        ...args,
        '--headless',
        `--remote-debugging-port=${port}`,
        `--user-data-dir=${folder}/user-${run}`,
      ],
      port,
      { environment: env as Record<string, string> },
    )
    const { code, output } = await runToExit([
      ...([join(root, 'node_modules/.bin/bombadil'), 'browser', 'test-external'] as const),
      ...['--remote-debugger', `http://127.0.0.1:${port}`, '--create-target'],
      // Its default permissions are unknown to this version of Chromium.
      ...['--chrome-grant-permissions', 'geolocation', '--exit-on-violation', '--time-limit', '12s'],
      ...['--output-path', join(folder, `run-${run}`), url, specification],
    ])
    expect(code, output).toBe(0)
  }
})
