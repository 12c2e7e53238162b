import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { onTestFinished, describe, expect, it } from 'vitest'
import { startGatewayCommand } from '../cli/support/gateway-command.js'
import { environmentOf } from '../cli/support/environment-of.js'
import { connect } from '../gateway/support/raw-consumer.js'
import { depthPath } from '../support/network/signed-request.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'

const setLimit = (pid: number, limit: number): void => {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`])
}

/** Leaves a process no free descriptor. */
const takeDescriptors = (pid: number): void => {
  const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number))
  let lowestFree = 0
  while (used.has(lowestFree)) lowestFree++
  setLimit(pid, lowestFree)
}

/** The responses of requests over one connection, which is open from the first one on. */
const requestsOverOneConnection = (baseUrl: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return (path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      get(baseUrl + path, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      }).on('error', reject)
    })
}

describe('a process whose first connection to the service meets EMFILE', () => {
  it('recovers when there are descriptors again', async () => {
    const simulator = await startTestSimulator()
    const { command, url } = await startGatewayCommand(['--port', '0'], environmentOf(simulator))
    const pid = command.process.pid ?? NaN
    const request = requestsOverOneConnection(url)
    const consumer = await connect({ priceWsUrl: url.replace('http', 'ws') })
    expect(await request('/health/live')).toBe(200)
    takeDescriptors(pid)
    // The first request and the first dial: each loads its transport.
    expect(await request(depthPath(weth))).toBe(502)
    consumer.subscribe(ethTopic)
    await eventually(() => expect(consumer.closed()).toBeDefined())
    expect(consumer.closed()).toEqual({ code: 1013, reason: 'the service is down: connection lost' })
    expect(consumer.frames).toEqual([])
    setLimit(pid, 1_000)
    await eventually(async () => expect(await request(depthPath(weth))).toBe(200))
    await eventually(async () => expect(await request('/health')).toBe(200))
    const next = await connect({ priceWsUrl: url.replace('http', 'ws') })
    next.subscribe(ethTopic)
    await eventually(() => expect(next.frames.length).toBeGreaterThan(2))
  })
})
