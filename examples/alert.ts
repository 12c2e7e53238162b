import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { exhaustMap, filter, map, merge, startWith, take, takeUntil, type Observable } from 'rxjs'
import {
  createClient,
  defineTokens,
  renderError,
  type DefinedToken,
  type PriceError,
  type Waiting,
} from 'svc-streams'
import { lefts, rights } from 'svc-streams/operators'
import { startSimulator, type Simulator } from 'svc-streams/simulator'

// An alert when the connection is down or a topic has no current price: the error, its start, and the recovery. The service
// stops the prices of ETH, sends an unknown text, closes the connection, and refuses new ones for one second.

const { ETH, BTC } = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})

// A real deployment if the environment variables are set, otherwise the simulator.
const { SVC_PRICE_BASE_URL: priceBaseUrl, SVC_PRICE_WS_URL: priceWsUrl } = process.env
const real = { priceBaseUrl, ...(priceWsUrl && { priceWsUrl }) }
await using simulator = priceBaseUrl ? undefined : await startSimulator({ tick: 200 })
await using client = createClient({
  environment: 'mainnet',
  ...(simulator ?? real),
  staleAfter: simulator ? 1_000 : 30_000,
  // Recovers at most one second after the service does.
  reconnect: { maxDelay: 1_000 },
})

const clock = (time: number): string => new Date(time).toISOString().slice(11, 21)
const line = (kind: string, subject: string, text: string): string =>
  `${clock(Date.now())}  ${kind.padEnd(5)}  ${subject.padEnd(10)}  ${text}`

/** Emits one line immediately, and one line on recovery. */
const alert$ = (
  subject: string,
  since: number,
  problem: string,
  recovered$: Observable<unknown>,
): Observable<string> =>
  recovered$.pipe(
    take(1),
    map(() => line('CLEAR', subject, `recovered after ${((Date.now() - since) / 1000).toFixed(1)} s`)),
    startWith(line('ALERT', subject, `since ${clock(since)}: ${problem}`)),
  )

const topic$ = ({ symbol, topic }: DefinedToken): Observable<string> => {
  const errors$ = client.price$(topic).pipe(lefts())
  const prices$ = client.price$(topic).pipe(rights())
  const topicAlert$ = (error: PriceError): Observable<string> => {
    const since = Date.now() - (error._tag === 'Stale' ? error.silentForMs : 0)
    return alert$(symbol, since, renderError(error), prices$)
  }
  // `connection$` reports a lost connection once. `exhaustMap` ignores further errors during an alert.
  return errors$.pipe(
    filter(({ _tag }) => _tag !== 'Disconnected'),
    exhaustMap(topicAlert$),
  )
}

const connection$ = (): Observable<string> => {
  const down$ = client.status$.pipe(filter((status) => status._tag === 'Waiting'))
  const open$ = client.status$.pipe(filter((status) => status._tag === 'Open'))
  // The service may send control characters in a reason.
  const outage$ = ({ reason }: Waiting): Observable<string> =>
    alert$('connection', Date.now(), `down, ${reason.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '�')}`, open$)
  return down$.pipe(exhaustMap(outage$))
}

const uncorrelated$ = client.errors$.pipe(map((error) => line('note', 'service', renderError(error))))

const injectFaults = async (simulator: Simulator): Promise<void> => {
  await wait(1_000)
  simulator.delist(ETH.address)
  await wait(2_000)
  simulator.list(ETH.address)
  await wait(500)
  simulator.send('out of coffee')
  await wait(500)
  simulator.inject({ refuseUpgrades: 503 })
  simulator.dropConnections(1012)
  await wait(1_000)
  simulator.inject({})
  await wait(2_000)
}
const end = simulator ? injectFaults(simulator) : once(process, 'SIGINT')

const alerts$ = merge(connection$(), topic$(ETH), topic$(BTC), uncorrelated$)
console.log(line('start', 'ETH, BTC', 'monitored'))
await alerts$.pipe(takeUntil(end)).forEach((alert) => console.log(alert))
