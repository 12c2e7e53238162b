import { existsSync, readFileSync } from 'node:fs'
import { lastValueFrom, NEVER } from 'rxjs'
import { replay } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { newFile } from '../../../cli/support/new-file.js'
import { eventually } from '../../../support/time/eventually.js'
import { compiledPath, spawnNode } from '../../../support/process/node-process.js'

describe('the recording of a killed process', () => {
  it('lacks at most its last line', async () => {
    const path = newFile('market.ndjson')
    const child = spawnNode([compiledPath('test/backtest/recording/programs/record-until-killed.ts'), path])
    const lines = () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0)
    await eventually(() => expect(lines()).toBeGreaterThan(500))
    child.process.kill('SIGKILL')
    await child.waitForExit()

    const client = replay(path, { speed: Infinity })
    await lastValueFrom(
      client.run$(() => NEVER),
      { defaultValue: undefined },
    )
    const result = await client.finished
    if (result._tag === 'Right') expect(result.right.rows).toBe(lines() - 1)
    else expect(result.left.line).toBe(lines() + 1)
  })
})
