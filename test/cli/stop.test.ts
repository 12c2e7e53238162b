import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import { NEVER } from 'rxjs'
import { expect, test } from 'vitest'
import type { Io } from '../../src/cli/io.js'
import { completes, interrupted } from '../../src/cli/stop.js'
import { eventually } from '../support/time/eventually.js'
import { compiledUrl, spawnScript } from '../support/process/node-process.js'

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'the first %s resolves, the second ends the process immediately',
  async (signal) => {
    const child = spawnScript(
      `import { interrupted } from ${JSON.stringify(compiledUrl('src/cli/stop.ts'))}
     setInterval(() => {}, 60000)
     const first = interrupted(process)
     console.log('ready')
     await first
     console.log('resolved')`,
    )
    await eventually(() => child.stdout.includes('ready'))
    child.process.kill(signal)
    await eventually(() => child.stdout.includes('resolved'))
    child.process.kill(signal)
    expect(await child.waitForExit()).toBe(signal)
  },
)

test('Ctrl-Break, which only Windows has, resolves too', async () => {
  const signals = new EventEmitter()
  const stopped = interrupted(signals)
  signals.emit('SIGBREAK')
  await stopped
})

test('keeps its handler until the other handlers of the signal have run', async () => {
  const child = spawnScript(
    `import { interrupted } from ${JSON.stringify(compiledUrl('src/cli/stop.ts'))}
     setInterval(() => {}, 60000)
     const first = interrupted(process)
     process.on('SIGINT', () => console.log('listeners', process.listenerCount('SIGINT')))
     console.log('ready')
     await first`,
  )
  await eventually(() => child.stdout.includes('ready'))
  child.process.kill('SIGINT')
  await eventually(() => child.stdout.includes('listeners'))
  expect(child.stdout).toContain('listeners 2')
})

test('a closed output is no failure, unless the command also writes a file, which lacks its end', async () => {
  const ended = (files?: readonly (string | undefined)[]) => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const io = Object.assign(new EventEmitter(), { stdout }) as unknown as Io
    const completed = completes(io, NEVER, () => ' after 1 of 2 parameters', files)
    stdout.write('a line')
    return completed
  }
  expect(await ended()).toBe(false)
  expect(await ended([undefined])).toBe(false)
  await expect(ended([undefined, 'report.html'])).rejects.toThrow('stopped after 1 of 2 parameters')
})
