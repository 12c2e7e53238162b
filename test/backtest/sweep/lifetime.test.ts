import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { spawnScript } from '../../support/process/node-process.js'
import { recordingOf, strategy } from './support/run-sweep.js'

/** A program that sweeps with these parameters, in the environment of the compiled copy. */
const program = (parameters: string, rest: string): string => `
import { sweep } from 'svc-streams/sweep'
const started = new SharedArrayBuffer(4)
const source = new URL('${pathToFileURL(recordingOf(50)).href}')
const result$ = sweep(source, '${strategy().href}', ${parameters}, { workers: 2 })
${rest}`

describe('the worker threads', () => {
  it('do not keep the process alive after the last result', async () => {
    const code = program(
      `[{ kind: 'first', count: 2 }, { kind: 'never' }]`,
      'result$.forEach((result) => console.log(result._tag))',
    )
    const child = spawnScript(code)
    expect(await child.waitForExit()).toBe(0)
    expect(child.output).toBe('Right\nRight\n')
  })

  it('start on subscription, and end on unsubscription', async () => {
    const code = program(
      `[{ kind: 'loop', started }, { kind: 'loop', started }]`,
      `
      await new Promise((resolve) => setImmediate(resolve))
      console.log(Atomics.load(new Int32Array(started), 0))
      const subscription = result$.subscribe((result) => console.log(result))
      while (Atomics.load(new Int32Array(started), 0) === 0) await new Promise((resolve) => setImmediate(resolve))
      subscription.unsubscribe()
      console.log('unsubscribed')`,
    )
    const child = spawnScript(code)
    expect(await child.waitForExit()).toBe(0)
    expect(child.output).toBe('0\nunsubscribed\n')
  })
})
