import { map, Observable, of, timeout } from 'rxjs'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Command } from 'commander'
import { clientTable } from '../../client/options.js'
import { endpointOf, requestPath } from '../../base/domain/endpoint.js'
import { defaultService, isTopicOfAnyService } from '../../base/domain/topic.js'
import { escapeUnsafe } from '../../base/errors/text.js'
import { node } from '../../wire/platform/node.js'
import { eth } from '../../simulator/market/token-options.js'
import { rxClock } from '../../base/time/rx-clock.js'
import type { HttpResult, HttpTransport } from '../../wire/transport/ports.js'
import { checkGateway, healthOf, serviceDown } from '../conform/gateway-rules.js'
import { checkHttp } from '../conform/http-rules.js'
import {
  forRules,
  notGateway,
  notTested,
  ruleIds,
  rules,
  type ConformTarget,
  type HttpReply,
  type Report,
  type RuleId,
  type Verdict,
  type Verdicts,
} from '../conform/rules.js'
import { checkSocket, openRules } from '../conform/socket-rules.js'
import type { Io } from '../io.js'
import { outputJson } from '../output/json.js'
import { errorText } from '../output/error-text.js'
import { coloursFor, type Colours } from '../output/terminal.js'
import { usageError } from '../run.js'

interface ConformFlags {
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
  const endsAt = rxClock.elapsed() + maxWaits * flags.timeout
  const remaining = () => Math.max(0, endsAt - rxClock.elapsed())
  const target: ConformTarget = {
    http,
    webSocket,
    topic,
    limit: flags.timeout,
    remaining,
    topicLimit: flags.topicLimit,
    get$: (resource) => get$(transport, http, resource, Math.min(flags.timeout, remaining())),
  }
  const colours = coloursFor(io.stdout, io.env)
  const results = new Results((id, verdict) => {
    const line = flags.json === true ? ruleJson(id, verdict) : ruleLine(id, verdict, colours)
    io.stdout.write(`${line}\n`)
  })
  // After the end, waits are cut short: their verdicts do not count.
  const report: Report = (verdicts) => remaining() > 0 && results.add(verdicts)
  await check(target, report).finally(() => transport.close())
  const isLate = !results.isComplete && remaining() === 0
  const late = `the command has ended after ${maxWaits} times --timeout`
  results.add(forRules(ruleIds, notTested(isLate ? late : 'the server was not reached')))
  const failures = ruleIds.filter((id) => results.verdicts[id]?.result === 'failed')
  if (failures.length === 0 && isLate) throw new Error(late)
  if (failures.length === 0) return
  throw new Error(
    isUnreachable(results.verdicts)
      ? unreachableText(http, results.verdicts)
      : `${failures.length} of ${ruleIds.length} rules are broken`,
  )
}

/** The limit of the whole command, in limits of a wait. A server that answers takes less than 20. */
const maxWaits = 30

/**
 * The verdicts so far. Prints each in the order of the rules, once those before it are known. Prints none while no connection
 * was possible.
 */
class Results {
  verdicts: Verdicts = {}
  private printed = 0

  constructor(private readonly print: (id: RuleId, verdict: Verdict) => void) {}

  get isComplete(): boolean {
    return this.printed === ruleIds.length
  }

  add(verdicts: Verdicts): void {
    this.verdicts = { ...verdicts, ...this.verdicts }
    if (isUnreachable(this.verdicts)) return
    for (const id of ruleIds.slice(this.printed)) {
      const verdict = this.verdicts[id]
      if (verdict === undefined) return
      this.printed++
      this.print(id, verdict)
    }
  }
}

/** True if no rule holds, and the only rules that were tested are those of the first contact. */
const isUnreachable = ({ 'socket-opens': socket, 'http-price': price, ...others }: Verdicts): boolean =>
  socket?.result === 'failed' &&
  (price === undefined || price.why?.startsWith('no response') === true) &&
  Object.values(others).every(({ result }) => result === 'not tested')

const unreachableText = ({ host }: URL, { 'socket-opens': socket }: Verdicts): string => {
  const why = escapeUnsafe(socket?.why ?? '')
  const advice = /certificate/i.test(why)
    ? 'use a name of the certificate in the address, and set NODE_EXTRA_CA_CERTS to the authority that signed it'
    : 'check that the server runs, and that the address is right, with its port'
  return `no connection to ${host} (${why}): ${advice}`
}

const urlOf = (command: Command, name: string, text: string, scheme: 'http' | 'ws'): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && [`${scheme}:`, `${scheme}s:`].includes(url.protocol)
    ? url
    : usageError(command, `${name}: expected an address like ${scheme}://127.0.0.1:8080`)
}

const check = async (target: ConformTarget, report: Report): Promise<void> => {
  const health = await healthOf(target)
  if (health?.status === 503) {
    report(forRules(['socket-opens', ...openRules, ...httpRules], serviceDown))
  } else {
    await checkSocket(target, health !== undefined, report)
    await checkHttp(target, report)
  }
  if (health === undefined) report(forRules(gatewayRules, notGateway))
  else await checkGateway(target, health, report)
}

const httpRules = ruleIds.filter((id) => id.startsWith('http-'))

const gatewayRules = ruleIds.filter((id) => id.startsWith('gateway-'))

const get$ = (transport: HttpTransport, url: URL, resource: string, limit: number): Observable<HttpReply> => {
  const endpoint = endpointOf(url)
  const path = requestPath(endpoint, resource)
  const result$ = new Observable<HttpResult>((subscriber) =>
    transport.get(
      { origin: endpoint.origin, path, headers: {}, maxBodyBytes: clientTable.maxBodyBytes.default },
      (result) => {
        subscriber.next(result)
        subscriber.complete()
      },
    ),
  )
  return result$.pipe(
    map((result) =>
      isLeft(result)
        ? { status: 0, text: errorText(result.left) }
        : { status: result.right.status, text: result.right.body },
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
  outputJson({ rule: id, sentence: rules[id], ...verdict })
