import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { outputClosed, pacedBy, print, setVariables } from '../../src/cli/io.js'
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

const variables = [
  ['SVC_AUTH_KEY', 'AAEC+/=='],
  ['SVC_TOKENS', 'A=0x1,B=0x2'],
] as const

test.each([
  ['linux', {}],
  ['darwin', { SHELL: '/bin/zsh' }],
  ['win32', { SHELL: '/usr/bin/bash' }],
] as const)('variables are set in a shell of Unix on %s with %j by export', (platform, env) => {
  expect(setVariables({ platform, env }, variables)).toEqual([
    'export SVC_AUTH_KEY=AAEC+/==',
    'export SVC_TOKENS=A=0x1,B=0x2',
  ])
})

test('variables are set on Windows by lines for each of its shells', () => {
  expect(setVariables({ platform: 'win32', env: {} }, variables)).toEqual([
    '# In PowerShell:',
    "$env:SVC_AUTH_KEY = 'AAEC+/=='",
    "$env:SVC_TOKENS = 'A=0x1,B=0x2'",
    '# In cmd.exe:',
    'set "SVC_AUTH_KEY=AAEC+/=="',
    'set "SVC_TOKENS=A=0x1,B=0x2"',
  ])
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
