import { map, Observable, of, timeout } from 'rxjs'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Command } from 'commander'
import { clientTable } from '../../client/options.js'
import { endpointOf, requestPath } from '../../domain/endpoint.js'
import { defaultService, isTopicOfAnyService } from '../../domain/topic.js'
import { renderError } from '../../errors/render.js'
import { escapeUnsafe, printable } from '../../errors/text.js'
import { node } from '../../platform/node.js'
import { eth } from '../../simulator/market/token-options.js'
import type { HttpAnswer, HttpTransport } from '../../transport/ports.js'
import { checkGateway, healthOf } from '../conform/gateway-rules.js'
import { checkHttp } from '../conform/http-rules.js'
import {
  notTested,
  rules,
  type ConformTarget,
  type HttpReply,
  type RuleId,
  type Verdict,
  type Verdicts,
} from '../conform/rules.js'
import { checkSocket, notGateway } from '../conform/socket-rules.js'
import type { Io } from '../io.js'
import { coloursFor, type Colours } from '../output/terminal.js'
import { usageError } from '../run.js'

export interface ConformFlags {
  readonly priceWsUrl?: string
  readonly topic?: string
  /** In ms. */
  readonly timeout: number
  readonly topicLimit?: number
  readonly json?: boolean
}

/** Prints a line for each rule. Throws if one failed. */
export const conform = async (io: Io, command: Command, url: string, flags: ConformFlags): Promise<void> => {
  const http = urlOf(command, 'url', url, 'http')
  const webSocket = urlOf(command, '--price-ws-url', flags.priceWsUrl ?? url.replace(/^http/, 'ws'), 'ws')
  const topic = flags.topic ?? `${defaultService}-${eth.address}`
  if (!isTopicOfAnyService(topic)) return usageError(command, '--topic: expected a topic like svc-0x82af…')
  const transport = node.httpTransport({
    connectTimeout: flags.timeout,
    maxConcurrentRequests: 1,
    ca: undefined,
  })
  const target: ConformTarget = {
    http,
    webSocket,
    topic,
    limit: flags.timeout,
    topicLimit: flags.topicLimit,
    get$: (resource) => get$(transport, http, resource, flags.timeout),
  }
  const verdicts = await check(target).finally(() => transport.close())
  const ids = Object.keys(rules) as RuleId[]
  const lines = ids.map((id) => {
    const verdict = verdicts[id] ?? notTested('the server was not reached')
    return flags.json === true ? ruleJson(id, verdict) : ruleLine(id, verdict, coloursFor(io.stdout, io.env))
  })
  io.stdout.write(lines.map((line) => `${line}\n`).join(''))
  const failures = ids.filter((id) => verdicts[id]?.result === 'failed')
  if (failures.length === 0) return
  const advice = isUnreachable(verdicts)
    ? `\nNo connection to ${http.host}: check that the server runs, and that the address is right, with its port.`
    : ''
  throw new Error(`${failures.length} of ${ids.length} rules are broken${advice}`)
}

/** True if no rule holds, and the only rules that were tested are those of the first contact. */
const isUnreachable = ({ 'socket-opens': socket, 'http-price': price, ...others }: Verdicts): boolean =>
  socket?.result === 'failed' &&
  /NetworkError|no response/.test(price?.why ?? '') &&
  Object.values(others).every(({ result }) => result === 'not tested')

const urlOf = (command: Command, name: string, text: string, scheme: 'http' | 'ws'): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && [`${scheme}:`, `${scheme}s:`].includes(url.protocol)
    ? url
    : usageError(command, `${name}: expected an address like ${scheme}://127.0.0.1:8080`)
}

const check = async (target: ConformTarget): Promise<Verdicts> => {
  const health = await healthOf(target)
  const isDown = health?.status === 503
  return {
    ...(isDown ? {} : await checkSocket(target, health !== undefined)),
    ...(isDown ? {} : await checkHttp(target)),
    ...(health === undefined ? withoutGateway : await checkGateway(target, health)),
  }
}

const withoutGateway: Verdicts = Object.fromEntries(
  (Object.keys(rules) as RuleId[]).filter((id) => id.startsWith('gateway-')).map((id) => [id, notGateway]),
)

const get$ = (transport: HttpTransport, url: URL, resource: string, limit: number): Observable<HttpReply> => {
  const endpoint = endpointOf(url)
  const path = requestPath(endpoint, resource)
  const answer$ = new Observable<HttpAnswer>((subscriber) =>
    transport.get(
      { origin: endpoint.origin, path, headers: {}, maxBodyBytes: clientTable.maxBodyBytes.default },
      (answer) => {
        subscriber.next(answer)
        subscriber.complete()
      },
    ),
  )
  return answer$.pipe(
    map((answer) =>
      isLeft(answer)
        ? { status: 0, text: printable(renderError(answer.left)) }
        : { status: answer.right.status, text: answer.right.body },
    ),
    timeout({ first: limit, with: () => of({ status: 0, text: `no response in ${limit} ms` }) }),
  )
}

const idWidth = Math.max(...Object.keys(rules).map(({ length }) => length))

const ruleLine = (id: RuleId, { result, why }: Verdict, { live, failed, dim }: Colours): string => {
  const paint = { passed: live, failed, 'not tested': dim }[result]
  return [id.padEnd(idWidth), paint(result.padEnd(10)), escapeUnsafe(why ?? rules[id])].join('  ')
}

const ruleJson = (id: RuleId, verdict: Verdict): string =>
  escapeUnsafe(JSON.stringify({ rule: id, sentence: rules[id], ...verdict }))
