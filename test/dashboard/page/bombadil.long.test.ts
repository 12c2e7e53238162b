import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { unpackChromium } from '../../browser/support/unpack-chromium.js'
import { startTestDashboard } from '../support/open-dashboard.js'
import { lose, runFailingMarket } from '../support/failing-market.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { runToExit, startServer } from '../../support/process/program.js'
import { caseCount } from '../../support/run/long.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const specification = fileURLToPath(new URL('bombadil-specification.ts', import.meta.url))

test('Bombadil finds no action after which the dashboard shows what is not true', async () => {
  const { url } = await startTestDashboard(runFailingMarket(lose, (market) => market.fallBehind(6_000)))
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
