import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catchError, lastValueFrom, of } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { expect, test } from 'vitest'
import { importStrategyModule } from '../../../src/cli/commands/shared/strategy-module.js'
import { newFolder } from '../../support/new-folder.js'
import { weth } from '../../support/tokens.js'

test.each([
  ['throws', `() => { throw new Error('boom') }`, 'boom'],
  ['throws an error of a class', `() => { throw new RangeError('boom') }`, 'RangeError: boom'],
  ['gives no stream', '() => 5', "TypeError: You provided '5' where a stream was expected"],
])('the error of a strategy that %s names its module', async (_, strategy, text) => {
  const path = join(newFolder(), 'strategy.mjs')
  const definition = { address: weth, decimals: 18 }
  Object.assign(globalThis, { tokensOfStrategy: defineTokens({ WETH: definition }) })
  const options = '{ tokens: globalThis.tokensOfStrategy, cash: 1 }'
  writeFileSync(path, `export const options = ${options}; export default ${strategy}`)
  const { strategy$ } = await importStrategyModule(path, { latency: 0, feeBps: 0, slippageBps: 0 })
  const run$ = strategy$({} as never, {} as never, undefined)
  const failure = await lastValueFrom(run$.pipe(catchError((thrown: Error) => of(thrown.message))))
  expect(failure).toContain(`${path}: the strategy failed: ${text}`)
})
