import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { drained } from '../../../src/cli/output/drained.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what comes waits until the output has been read, and goes on in order', async () => {
  const output = Object.assign(new EventEmitter(), { writableNeedDrain: false })
  const gate = drained(output)
  const passed: string[] = []
  gate.on('data', (piece: Buffer) => passed.push(String(piece)))
  gate.write('a')
  await turn()
  expect(passed).toEqual(['a'])
  output.writableNeedDrain = true
  gate.write('b')
  gate.write('c')
  await turn()
  expect(passed).toEqual(['a'])
  output.writableNeedDrain = false
  output.emit('drain')
  await turn()
  expect(passed).toEqual(['a', 'b', 'c'])
})
