import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, concat, of, ReplaySubject, Subject, type Observable } from 'rxjs'
import type { Client, ConnectionStatus, Depth, DepthError, DepthSide, Price, PriceError } from 'svc-streams'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { disconnected, stale } from '../../../src/base/errors/constructors.js'
import { btcTopic, ethTopic, wbtc, weth } from '../../support/tokens.js'

/** A client of two tokens, whose events a test sends. */
export class TestMarket {
  private readonly eth = new ReplaySubject<Either<PriceError, Price>>(1)
  private readonly btc = new ReplaySubject<Either<PriceError, Price>>(1)
  private readonly ethDepth = new ReplaySubject<Either<DepthError, Depth>>(1)
  private readonly status = new BehaviorSubject<ConnectionStatus>({ _tag: 'Open', epoch: 1, since: 0 })
  readonly client: Client

  constructor() {
    const never$ = new Subject<Depth>()
    const prices: Record<string, Observable<Either<PriceError, Price>>> = {
      [ethTopic]: this.eth,
      [btcTopic]: this.btc,
    }
    this.client = createTestClient({
      prices,
      depths: { [weth]: this.ethDepth, [wbtc]: concat(of(depth(wbtc)), never$) },
      status$: this.status,
      stamp: true,
    })
  }

  sendEth(usd: number): void {
    this.eth.next(right(price(ethTopic, usd)))
  }

  sendBtc(usd: number): void {
    this.btc.next(right(price(btcTopic, usd)))
  }

  failBtc(error: PriceError): void {
    this.btc.next(left(error))
  }

  failDepth(error: DepthError): void {
    this.ethDepth.next(left(error))
  }

  sendDepth(buy: DepthSide, sell: DepthSide): void {
    this.ethDepth.next(right(depth(weth, { buy, sell })))
  }

  /** The service is lost. */
  disconnect(reason: string): void {
    const down = disconnected({ code: 1006, reason, attempt: 1, retryInMs: 60_000 })
    this.status.next({ _tag: 'Waiting', attempt: 1, retryInMs: 60_000, reason })
    this.eth.next(left(down))
    this.btc.next(left(down))
  }

  /** The service is back. */
  connect(): void {
    this.status.next({ _tag: 'Open', epoch: 2, since: 0 })
  }

  /** The prices of the service are too old: each topic is stale. */
  fallBehind(behindMs: number): void {
    this.status.next({ _tag: 'Open', epoch: 2, since: 0, behindMs })
    this.eth.next(left(stale(ethTopic, 20, undefined, behindMs)))
    this.btc.next(left(stale(btcTopic, 20, undefined, behindMs)))
  }

  /** The prices of the service are current again. The client then delivers each price. */
  catchUp(): void {
    this.status.next({ _tag: 'Open', epoch: 2, since: 0 })
  }
}
