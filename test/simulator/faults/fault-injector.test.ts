import type { Faults } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { createFaultInjector } from '../../../src/simulator/faults/fault-injector.js'

test('faults replace each other; none is left of those before', () => {
  const heard: Faults[] = []
  const faults = createFaultInjector({ echoQuote: true })
  faults.onChange((current) => heard.push(current))
  faults.inject({ httpStatus: 500 })
  faults.inject({})
  expect(heard).toEqual([{ echoQuote: true }, { httpStatus: 500 }, {}])
  expect(faults.current).toEqual({})
})

test('who waits for the end of a stall goes on with its end, and not before', async () => {
  const faults = createFaultInjector({ stall: true })
  let went = 0
  const waiting = [faults.whenNotStalled(), faults.whenNotStalled()].map((promise) =>
    promise.then(() => (went += 1)),
  )
  faults.inject({ stall: true, httpStatus: 500 })
  await new Promise(setImmediate)
  expect(went).toBe(0)
  faults.inject({})
  faults.inject({ stall: true })
  await new Promise(setImmediate)
  expect(went).toBe(0)
  faults.inject({ stall: false })
  await Promise.all(waiting)
  expect(went).toBe(2)
  await faults.whenNotStalled()
})

test('a fault that is wrong is refused by name, and changes nothing', () => {
  const faults = createFaultInjector({ echoQuote: true })
  const refusal = (wrong: object) => {
    try {
      faults.inject(wrong)
      return 'taken'
    } catch (error) {
      return String(error)
    }
  }
  expect([
    refusal({ stal: true }),
    refusal({ stall: 1 }),
    refusal({ drop: 100 }),
    refusal({ drop: { every: 0 } }),
    refusal({ drop: { every: 100, code: 1006 } }),
    refusal({ drop: { evry: 100 } }),
    refusal({ refuseUpgrades: 101 }),
    refusal({ garbage: 'binary' }),
    refusal({ garbage: ['binari'] }),
    refusal({ confirmations: 'all' }),
    refusal({ httpStatus: 100 }),
    refusal({ retryAfter: -1 }),
    refusal({ retryAfter: 'soon\r\n' }),
    refusal({ redirect: '/elsewhere' }),
    refusal({ httpDelay: -1 }),
    refusal({ clockOffset: 0.5 }),
    refusal({ body: 'empty' }),
  ]).toMatchInlineSnapshot(`
    [
      "SimulatorError: stal: there is no such fault; there are stall, drop, refuseUpgrades, garbage, rejectSubscribes, namelessErrors, confirmations, echoQuote, httpStatus, retryAfter, redirect, httpDelay, clockOffset, body, quantitiesAsText",
      "SimulatorError: stall: expected true or false, got 1",
      "SimulatorError: drop: expected { every, code } with every a whole number of ms from 1 to 2147483647, and code, if any, a close code, 1000 to 1014 but 1004 to 1006, or 3000 to 4999, got 100",
      "SimulatorError: drop: expected { every, code } with every a whole number of ms from 1 to 2147483647, and code, if any, a close code, 1000 to 1014 but 1004 to 1006, or 3000 to 4999, got a value of type object",
      "SimulatorError: drop: expected { every, code } with every a whole number of ms from 1 to 2147483647, and code, if any, a close code, 1000 to 1014 but 1004 to 1006, or 3000 to 4999, got a value of type object",
      "SimulatorError: drop: expected { every, code } with every a whole number of ms from 1 to 2147483647, and code, if any, a close code, 1000 to 1014 but 1004 to 1006, or 3000 to 4999, got a value of type object",
      "SimulatorError: refuseUpgrades: expected an HTTP status from 300 to 599, got 101",
      "SimulatorError: garbage: expected an array of 'malformed' or 'no-message' or 'wrong-price' or 'unknown-topic' or 'binary' or 'oversized', got "binary"",
      "SimulatorError: garbage: expected an array of 'malformed' or 'no-message' or 'wrong-price' or 'unknown-topic' or 'binary' or 'oversized', got an array",
      "SimulatorError: confirmations: expected 'none' or 'new-only', got "all"",
      "SimulatorError: httpStatus: expected an HTTP status from 200 to 599, got 100",
      "SimulatorError: retryAfter: expected seconds from 0, or a text of one line, got -1",
      "SimulatorError: retryAfter: expected seconds from 0, or a text of one line, got "soon\\r\\n"",
      "SimulatorError: redirect: expected a URL, got "/elsewhere"",
      "SimulatorError: httpDelay: expected a whole number of ms from 1 to 2147483647, got -1",
      "SimulatorError: clockOffset: expected a whole number of ms from -100000000000000 to 100000000000000, got 0.5",
      "SimulatorError: body: expected 'truncated' or 'cut-off' or 'oversized' or 'html', got "empty"",
    ]
  `)
  expect(faults.current).toEqual({ echoQuote: true })
})
