import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { outputClosed, pacedBy, print, setVariable } from '../../src/cli/io.js'
import { nextTurn } from '../support/time/event-loop.js'

/** An output whose writes fail with this code, or succeed without a code. */
const output = (code?: string) => {
  let written = ''
  const stream = new Writable({
    autoDestroy: false,
    write: (chunk: Buffer, _encoding, done) => {
      written += chunk.toString()
      done(code === undefined ? null : Object.assign(new Error(`write ${code}`), { code }))
    },
  })
  return Object.assign(stream, { written: () => written })
}

test.each([
  ['linux', {}, 'export SVC_TOKENS=A=0x1,B=0x2'],
  ['darwin', { SHELL: '/bin/zsh' }, 'export SVC_TOKENS=A=0x1,B=0x2'],
  ['win32', {}, "$env:SVC_TOKENS = 'A=0x1,B=0x2'"],
  ['win32', { SHELL: '/usr/bin/bash' }, 'export SVC_TOKENS=A=0x1,B=0x2'],
] as const)('a variable is set in a shell of %s with %j by %s', (platform, env, line) => {
  expect(setVariable({ platform, env }, 'SVC_TOKENS', 'A=0x1,B=0x2')).toBe(line)
})

test('print resolves when the text is written', async () => {
  const sink = output()
  await print('one\n', sink)
  expect(sink.written()).toBe('one\n')
})

test('print and outputClosed resolve when the reader has closed the pipe', async () => {
  await print('one\n', output('EPIPE'))
  await print('one\n', output('EOF'))
  await print('one\n', output('EIO'))
  const sink = output('EPIPE')
  const closed = outputClosed(sink)
  sink.write('two\n')
  await closed
})

test('print rejects on any other write error', async () => {
  await expect(print('one\n', output('ENOSPC'))).rejects.toThrow('write ENOSPC')
})

test('ignores a second error after the pipe is closed', async () => {
  const sink = output('EPIPE')
  const closed = outputClosed(sink)
  sink.write('one\n')
  sink.emit('error', Object.assign(new Error('again'), { code: 'EPIPE' }))
  await closed
})

test('pacedBy holds data back until the output drains, and keeps its order', async () => {
  const slow = Object.assign(new EventEmitter(), { writableNeedDrain: false })
  const source = new PassThrough({ objectMode: true })
  const passed: unknown[] = []
  const reading = (async () => {
    for await (const chunk of pacedBy(slow, source)) passed.push(chunk)
  })()
  source.write('a')
  await nextTurn()
  expect(passed).toEqual(['a'])
  slow.writableNeedDrain = true
  source.write('b')
  source.end('c')
  await nextTurn()
  expect(passed).toEqual(['a'])
  slow.writableNeedDrain = false
  slow.emit('drain')
  await reading
  expect(passed).toEqual(['a', 'b', 'c'])
})
