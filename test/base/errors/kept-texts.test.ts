import { expect, it } from 'vitest'
import { runProgram } from '../../support/process/node-process.js'

it('an error or a queued topic with a part of a text of 1 MiB does not keep the text in memory', async () => {
  const printed = await runProgram('test/base/errors/programs/kept-texts.ts', [], ['--expose-gc'])
  const { kept, unrequested, used } = JSON.parse(printed) as {
    readonly kept: number
    readonly unrequested: number
    /** In MB. */
    readonly used: Readonly<Record<string, number>>
  }
  expect({ kept, unrequested }).toEqual({ kept: 250, unrequested: 50 })
  // 50 texts are more than 50 MB. One may still be in use.
  expect(Object.entries(used).filter(([, mb]) => mb > 5)).toEqual([])
})
