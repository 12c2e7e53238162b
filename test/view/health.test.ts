import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { healthOf, type CheckedToken } from '../../src/view/health.js'
import { initialConnection, type Connection } from '../../src/view/connection.js'
import { btc, eth } from '../dashboard/support/tokens.js'

const connected: Connection = { ...initialConnection, state: 'connected' }

const tokenOf = (
  token: typeof eth,
  state: CheckedToken['state']['state'] = 'live',
  isDepthCurrent: boolean | undefined = true,
): CheckedToken => ({ state: { token, state }, isDepthCurrent })

const anyToken = fc
  .record({
    token: fc.constantFrom(eth, btc),
    state: fc.constantFrom('live', 'stale', 'down', 'waiting', 'rejected'),
    isDepthCurrent: fc.constantFrom(true, false, undefined),
  })
  .map(({ token, state, isDepthCurrent }) => tokenOf(token, state, isDepthCurrent))

describe('the health of a page', () => {
  it('is good while all prices and depths are current, also without depth', () => {
    expect(healthOf(connected, [tokenOf(eth), tokenOf(btc)])).toEqual({
      level: 'good',
      connection: 'connected',
      detail: 'all 2 prices are current',
      reason: '',
      problem: undefined,
    })
    expect(healthOf(connected, [tokenOf(eth, 'live', undefined)]).detail).toBe('the price is current')
  })

  it('counts how often another line came to the front', () => {
    const after = (switches: number) =>
      healthOf({ ...connected, health: { _tag: 'Up', switches } }, [tokenOf(eth)]).detail
    expect([0, 1, 2].map(after)).toEqual([
      'the price is current',
      'the price is current, 1 switch of the line',
      'the price is current, 2 switches of the line',
    ])
  })

  it('names what is not current, and is bad if all of a kind is not', () => {
    const after = (...tokens: readonly CheckedToken[]) => {
      const { level, detail, problem } = healthOf(connected, tokens)
      expect(problem).toBe(detail)
      return [level, detail]
    }
    expect(after(tokenOf(eth, 'stale'), tokenOf(btc))).toEqual(['warn', 'the price of ETH is not current'])
    expect(healthOf(connected, [tokenOf(eth, 'stale', false), tokenOf(btc, 'live', false)]).reason).toBe(
      'ETH, BTC',
    )
    expect(after(tokenOf(eth, 'rejected'), tokenOf(btc, 'waiting'))).toEqual(['bad', 'no price is current'])
    expect(after(tokenOf(eth), tokenOf(btc, 'live', false))).toEqual([
      'warn',
      'the depth of BTC is not current',
    ])
    expect(after(tokenOf(eth, 'down'), tokenOf(eth, 'stale'), tokenOf(btc))).toEqual([
      'warn',
      '2 of 3 prices are not current',
    ])
    expect(after(tokenOf(eth, 'stale', false), tokenOf(btc, 'live', false))).toEqual([
      'bad',
      'the price of ETH is not current, no depth is current',
    ])
    expect(after(tokenOf(eth, 'stale', false), tokenOf(btc, 'down', false))).toEqual([
      'bad',
      'no price is current, no depth is current',
    ])
    const silent = tokenOf(eth, 'stale', false)
    expect(after(silent, silent, tokenOf(btc))).toEqual([
      'warn',
      '2 of 3 prices are not current, 2 of 3 depths are not current',
    ])
  })

  it.each([
    ['behind', 'prices are held'],
    ['connection lost', 'connecting again'],
    ['service lost', 'connecting again'],
    ['dashboard stopped', ''],
  ] as const)('is that of the connection while it is %j, with what happens next', (state, detail) => {
    const health = healthOf({ ...connected, state, reason: 'reset' }, [tokenOf(eth, 'down')])
    expect(health).toMatchObject({ connection: state, detail, reason: 'reset', problem: state })
    expect(health.level).toBe(state === 'behind' ? 'warn' : 'bad')
  })

  it('has no problem during the first connection, and one during the next ones', () => {
    expect(healthOf(initialConnection, [tokenOf(eth, 'waiting')])).toMatchObject({
      level: 'warn',
      problem: undefined,
    })
    expect(healthOf({ ...initialConnection, lostAt: 1000 }, []).problem).toBe('connecting')
  })

  it('is good only if each price, and each depth that there is, is current', () => {
    fc.assert(
      fc.property(fc.array(anyToken, { minLength: 1 }), (tokens) => {
        const isGood = tokens.every(
          ({ state, isDepthCurrent }) => state.state === 'live' && isDepthCurrent !== false,
        )
        expect(healthOf(connected, tokens).level === 'good').toBe(isGood)
      }),
    )
  })
})
