import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startGateway } from 'svc-streams/gateway'
import { expect, onTestFinished, test } from 'vitest'
import { lose, runFailingMarket } from '../../dashboard/support/failing-market.js'
import { runToExit } from '../../support/process/program.js'
import { caseCount } from '../../support/run/long.js'
import { wbtc, weth } from '../../support/tokens.js'
import { commandLine } from '../support/command.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const specification = fileURLToPath(new URL('bombadil-specification.ts', import.meta.url))

test('Bombadil finds no input after which the board shows what is not true', async () => {
  const gateway = await startGateway(runFailingMarket(lose))
  onTestFinished(() => gateway.close())
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  for (let run = 0; run < caseCount(15); run++) {
    const { code, output } = await runToExit(
      [
        ...([join(root, 'node_modules/.bin/bombadil'), 'terminal', 'test'] as const),
        ...['--specification', specification, '--exit-on-violation', '--time-limit', '20s'],
        ...['--output-path', join(folder, `run-${run}`), '--'],
        ...commandLine('watch', '--gateway', gateway.priceBaseUrl),
      ],
      { environment: { SVC_TOKENS: `ETH=${weth},BTC=${wbtc}` } },
    )
    expect(code, output).toBe(0)
  }
})
