import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Subject } from 'rxjs'
import type { Price, Topic } from 'svc-streams'
import { createTestClient, price } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { right } from 'fp-ts/lib/Either.js'
import { createHeader, type Row } from '../../../src/backtest/recording/codec/row.js'
import { collectMessages } from '../../base/diagnostics/support/collect-messages.js'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { newFolder } from '../../support/new-folder.js'
import { compiledPath, spawnNode } from '../../support/process/node-process.js'
import { eventually } from '../../support/time/eventually.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const whole: Topic = 'svc-0xaa'
const damaged: Topic = 'svc-0xbb'
const start = Math.floor(Date.now() / 1000) * 1000 - 3_600_000

const priceRow = (ms: number, topic: Topic): Row => ({
  _tag: 'Price',
  at: start + ms,
  topic,
  event: right(price(topic, 1, { receivedAt: start + ms })),
})

/** A folder with two prices of each topic. The second row of `damaged` is no row. */
const damagedFolder = () => {
  const folder = newFolder()
  const time = new Date(start).toISOString().slice(0, 19).replaceAll(':', '-')
  const pathOf = (topic: Topic): string => join(folder, `${topic}.${time}Z.ndjson`)
  const textOf = (topic: Topic, middle: string): string =>
    recordingText(createHeader(start, [topic]), priceRow(0, topic)) +
    middle +
    recordingText(priceRow(1, topic))
  writeFileSync(pathOf(whole), textOf(whole, ''))
  writeFileSync(pathOf(damaged), textOf(damaged, 'garbage\n'))
  return { folder, path: pathOf(damaged) }
}

it('tells the operator the file and the line of damage, the consumer neither, and leaves other topics alone', async () => {
  const { folder, path } = damagedFolder()
  const messages = collectMessages('svc-streams:history-unreadable')
  const { baseUrl } = await startTestGateway(createTestClient(), { history: { folder, keep: Infinity } })
  const get = async (target: string) => {
    const response = await fetch(baseUrl + target)
    return { status: response.status, text: await response.text() }
  }
  const failed = await get(`/history/${damaged}?from=0`)
  expect(failed.status).toBe(500)
  expect(failed.text).toContain('the history cannot be read')
  expect(failed.text).not.toContain(basename(folder))
  expect(messages).toMatchObject([{ error: { _tag: 'RecordingError', source: path, line: 3 } }])
  expect((await get(`/history/${whole}?from=0&to=${start + 2}`)).text.match(/PastPrice/g)).toHaveLength(2)
  const topics = await get('/history')
  expect(JSON.parse(topics.text)).toEqual([
    { topic: whole, from: start, to: start + 1 },
    { topic: damaged, from: start, to: start + 1 },
  ])
  expect(messages).toHaveLength(1)
})

it('prints one line for a damaged line that consumers request repeatedly', async () => {
  const { folder, path } = damagedFolder()
  const child = spawnNode([
    compiledPath('src/cli/main.ts'),
    ...['gateway', '--simulate', '--history', folder, '--keep', '7d'],
  ])
  await eventually(() => expect(child.stdout).toContain('Ctrl-C'))
  const url = /SVC_GATEWAY=(\S+)/.exec(child.stdout)![1]!
  for (let count = 0; count < 2; count++)
    expect((await fetch(`${url}/history/${damaged}?from=0`)).status).toBe(500)
  child.process.kill('SIGINT')
  expect(await child.waitForExit()).toBe(0)
  expect(child.stderr.match(/A part of the history cannot be read: .*/g)).toEqual([
    expect.stringContaining(`line 3 of ${path}: `),
  ])
})

it('pauses the history of a topic with an invalid price, reports it, and continues to record other topics', async () => {
  const messages = collectMessages('svc-streams:gateway-history')
  const prices = { [whole]: new Subject<Price>(), [damaged]: new Subject<Price>() }
  const history = { folder: newFolder(), keep: Infinity, topics: [whole, damaged] }
  const { baseUrl } = await startTestGateway(createTestClient({ prices }), { history })
  const past = async (topic: Topic) => {
    const response = await fetch(`${baseUrl}/history/${topic}?from=0`)
    return { status: response.status, prices: (await response.text()).match(/"price":[^,]*/g) ?? [] }
  }
  prices[damaged]!.next(price(damaged, 1))
  prices[damaged]!.next(price(damaged, NaN))
  prices[whole]!.next(price(whole, 3))
  expect(messages).toHaveLength(1)
  expect(messages[0]?.error?.message).toContain('no reader accepts this row')
  expect((await past(damaged)).status).toBe(503)
  expect(await past(whole)).toEqual({ status: 200, prices: ['"price":3'] })
  expect((await fetch(`${baseUrl}/history`)).status).toBe(200)
})
