import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientTable, reconnectTable } from '../../../src/client/options.js'
import { closestName } from '../../../src/base/option-kinds/parse-options.js'
import { startTestSimulator } from '../../support/simulator.js'

const names = Object.keys(clientTable)

describe('closestName', () => {
  it.each([
    ['stalAfter', 'staleAfter'],
    ['staleafter', 'staleAfter'],
    ['stale_after', 'staleAfter'],
    ['staelAfter', 'staleAfter'],
    ['lingr', 'linger'],
    ['singal', 'signal'],
    ['autKey', 'authKey'],
    ['AUTHKEY', 'authKey'],
    ['baseURL', 'baseUrl'],
    ['priceUrl', 'priceWsUrl'],
    ['pongInterval', 'pingInterval'],
    ['conectTimeOut', 'connectTimeout'],
    ['maxTopicPerConnections', 'maxTopicsPerConnection'],
    ['enviroment', 'environment'],
    ['reconect', 'reconnect'],
    ['CA', 'ca'],
    ['HTTP', 'http'],
    ['htp', 'http'],
    ['https', 'http'],
    ['lnger', 'linger'],
  ])('takes %s for %s', (name, meant) => {
    expect(closestName(name, names)).toBe(meant)
  })

  it.each([
    ...['host', 'port', 'url', 'wsUrl', 'key', 'keys', 'tls', 'cert', 'cors', 'origins', 'name', 'id'],
    ...['timeout', 'interval', 'retries', 'retry', 'delay', 'logger', 'debug', 'token', 'apiKey', 'secret'],
    ...['maxConnections', 'maxBufferedBytes', 'depthEvery', 'openDepth', 'servers'],
    ...['httpPort', 'wsPort', 'seed', 'tick', 'repeat', 'market', 'price', 'depth', 'status', 'errors'],
    ...['toString', 'constructor', '__proto__', 'then', ''],
  ])('takes %j for no option', (name) => {
    expect(closestName(name, names)).toBeUndefined()
  })

  it('takes no property of a simulator for another option', async () => {
    const simulator = await startTestSimulator({})
    const unknown = Object.keys(simulator).filter((name) => !names.includes(name))
    expect(unknown).toEqual(expect.arrayContaining(['tokens', 'connections', 'inject', 'send', 'close']))
    expect(unknown.map((name) => closestName(name, names))).toEqual(unknown.map(() => undefined))
  })

  it('takes no property of a gateway for another option', () => {
    const gateway = [
      ...['tokens', 'connections', 'inspect', 'close', 'url', 'port', 'host'],
      ...['keys', 'tls', 'origins', 'send', 'list'],
    ]
    expect(gateway.map((name) => closestName(name, names))).toEqual(gateway.map(() => undefined))
  })

  it.each([
    ['sped', 'speed'],
    ['form', 'from'],
    ['fro', 'from'],
    ['frmo', 'from'],
    ['frm', 'from'],
    ['from_', 'from'],
    ['too', 'to'],
    ['t', undefined],
    ['of', undefined],
  ])('takes the short name %s for %s', (name, meant) => {
    expect(closestName(name, ['speed', 'environment', 'from', 'to'])).toBe(meant)
  })

  it.each([names, Object.keys(reconnectTable)])('finds a name after any single edit', (...table) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...table.filter((name) => name.length >= 4)),
        fc.nat(),
        fc.constantFrom('drop', 'double', 'replace', 'swap'),
        (name, position, edit) => {
          const at = position % (name.length - 1)
          const [a, b] = [name.charAt(at), name.charAt(at + 1)]
          const edited = { drop: b, double: a + a + b, replace: `#${b}`, swap: b + a }[edit]
          expect(closestName(name.slice(0, at) + edited + name.slice(at + 2), table)).toBe(name)
        },
      ),
    )
  })
})
