import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { outputClosed, print } from '../../../src/cli/output/print.js'

/** An output that fails with this code at each write; that works where there is none. */
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

test('a text is there when it has been printed', async () => {
  const sink = output()
  await print('one\n', sink)
  expect(sink.written()).toBe('one\n')
})

test('nobody reads: that is an end like any other', async () => {
  await print('one\n', output('EPIPE'))
  const sink = output('EPIPE')
  const closed = outputClosed(sink)
  sink.write('two\n')
  await closed
})

test('it cannot be written: that is a failure', async () => {
  await expect(print('one\n', output('ENOSPC'))).rejects.toThrow('write ENOSPC')
})

test('what fails later hurts nobody', async () => {
  const sink = output('EPIPE')
  const closed = outputClosed(sink)
  sink.write('one\n')
  sink.emit('error', Object.assign(new Error('again'), { code: 'EPIPE' }))
  await closed
})
