import { expect, inject, test } from 'vitest'
import { runOrThrow } from './support/run.js'

test('the streams are sources of RxJS 9 and of Effect', async () => {
  const output = await runOrThrow('node', ['programs/ecosystem.mjs'], { cwd: inject('packed').withPeers })
  expect(output.trim().split('\n')).toEqual(['RxJS 9: 1', 'Effect: 1', 'subscribers: 0'])
})
