import type { Faults } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { FaultInjector } from '../../../src/simulator/faults/faults.js'

test('inject replaces all faults and notifies listeners', () => {
  const received: Faults[] = []
  const faults = new FaultInjector({ echoQuote: true })
  faults.onChange((current) => received.push(current))
  faults.inject({ httpStatus: 500 })
  faults.inject({})
  expect(received).toEqual([{ echoQuote: true }, { httpStatus: 500 }, {}])
  expect(faults.current).toEqual({})
})

test('whenNotStalled resolves when the stall ends, and not before', async () => {
  const faults = new FaultInjector({ stall: true })
  let resolved = 0
  const waiting = [faults.whenNotStalled(), faults.whenNotStalled()].map((promise) =>
    promise.then(() => (resolved += 1)),
  )
  faults.inject({ stall: true, httpStatus: 500 })
  await new Promise(setImmediate)
  expect(resolved).toBe(0)
  faults.inject({})
  faults.inject({ stall: true })
  await new Promise(setImmediate)
  expect(resolved).toBe(0)
  faults.inject({ stall: false })
  await Promise.all(waiting)
  expect(resolved).toBe(2)
  await faults.whenNotStalled()
})

test('inject rejects an invalid fault by name and changes nothing', () => {
  const faults = new FaultInjector({ echoQuote: true })
  const rejection = (wrong: object) => {
    try {
      faults.inject(wrong)
      return 'accepted'
    } catch (error) {
      return String(error)
    }
  }
  expect([
    rejection({ stal: true }),
    rejection({ stall: 1 }),
    rejection({ drop: 100 }),
    rejection({ drop: { every: 0 } }),
    rejection({ drop: { every: 100, code: 1006 } }),
    rejection({ drop: { evry: 100 } }),
    rejection({ refuseUpgrades: 101 }),
    rejection({ garbage: 'binary' }),
    rejection({ garbage: ['binari'] }),
    rejection({ confirmations: 'all' }),
    rejection({ httpStatus: 100 }),
    rejection({ retryAfter: -1 }),
    rejection({ retryAfter: 'soon\r\n' }),
    rejection({ redirect: '/elsewhere' }),
    rejection({ httpDelay: -1 }),
    rejection({ clockOffset: 0.5 }),
    rejection({ body: 'empty' }),
  ]).toMatchInlineSnapshot(`
    [
      "SimulatorError: stal: unknown fault; expected one of stall, drop, refuseUpgrades, garbage, rejectSubscribes, namelessErrors, confirmations, echoQuote, httpStatus, retryAfter, redirect, httpDelay, clockOffset, body, quantitiesAsText",
      "SimulatorError: stall: expected true or false, got 1",
      "SimulatorError: drop: expected an object, got 100",
      "SimulatorError: drop.every: expected a whole number of ms from 1 to 2147483647, got 0",
      "SimulatorError: drop.code: expected a close code: 1000 to 1003, 1007 to 1014, or 3000 to 4999, got 1006",
      "SimulatorError: drop.evry: unknown fault; expected one of every, code",
      "SimulatorError: refuseUpgrades: expected an HTTP status from 300 to 599, got 101",
      "SimulatorError: garbage: expected an array of 'malformed' or 'no-message' or 'wrong-price' or 'unknown-topic' or 'binary' or 'oversized', got "binary"",
      "SimulatorError: garbage: expected an array of 'malformed' or 'no-message' or 'wrong-price' or 'unknown-topic' or 'binary' or 'oversized', got an array",
      "SimulatorError: confirmations: expected 'none' or 'new-only', got "all"",
      "SimulatorError: httpStatus: expected an HTTP status from 200 to 599, got 100",
      "SimulatorError: retryAfter: expected a number of seconds of at least 0, or a string of one line, got -1",
      "SimulatorError: retryAfter: expected a number of seconds of at least 0, or a string of one line, got "soon\\r\\n"",
      "SimulatorError: redirect: expected a URL, got "/elsewhere"",
      "SimulatorError: httpDelay: expected a whole number of ms from 1 to 2147483647, got -1",
      "SimulatorError: clockOffset: expected a whole number of ms from -100000000000000 to 100000000000000, got 0.5",
      "SimulatorError: body: expected 'truncated' or 'cut-off' or 'oversized' or 'html', got "empty"",
    ]
  `)
  expect(faults.current).toEqual({ echoQuote: true })
})
