import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { outputClosed, pacedBy, summaryText } from '../../src/cli/io.js'
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

test('a summary sets variables by export, and all its other lines are comments', () => {
  const variables = [
    ['SVC_AUTH_KEY', 'AAEC+/=='],
    ['SVC_TOKENS', 'A=0x1,B=0x2'],
  ] as const
  const lines = summaryText('It plays a\nb.', variables, ['Tokens: A,\n B']).split('\n')
  expect(lines.slice(1, 4)).toEqual([
    'export SVC_AUTH_KEY=AAEC+/==',
    'export SVC_TOKENS=A=0x1,B=0x2',
    '# Tokens: A, B',
  ])
  expect([lines[0], lines[4], lines[5]]).toEqual([
    expect.stringMatching(/^# It plays a b\. /),
    expect.stringMatching(/^# /),
    '',
  ])
})

test.each(['EPIPE', 'EOF', 'EIO'])(
  'outputClosed resolves when the reader has closed the pipe: %s',
  async (code) => {
    const sink = output(code)
    const closed = outputClosed(sink)
    sink.write('one\n')
    await closed
  },
)

test('outputClosed rejects on any other write error', async () => {
  const sink = output('ENOSPC')
  const closed = outputClosed(sink)
  sink.write('one\n')
  await expect(closed).rejects.toThrow('write ENOSPC')
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
