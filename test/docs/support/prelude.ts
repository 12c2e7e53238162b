import type { Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { RunHelpers } from 'rxjs/internal/testing/TestScheduler'
import type { Address, Client, Disconnected, Topic } from 'svc-streams'
import type { Simulator } from 'svc-streams/simulator'

// Implicit declarations for examples: a block imports from here each name that it uses and does not declare.

export declare const client: Client
export declare const simulator: Simulator

export const topic: Topic = 'svc-0xab'
export const mint: Address = '0xab'
export const eth: Topic = 'svc-0xee'
export const btc: Topic = 'svc-0xbb'

// Functions of the reader.
export declare const log: (line: string) => void
export declare const trade: (price: number, quantity: bigint) => void
export declare const myStrategy: (client: Client) => Observable<string>

// Parameters of the callback of `TestScheduler.run`.
export declare const hot: RunHelpers['hot']
export declare const cold: RunHelpers['cold']
export declare const expectObservable: RunHelpers['expectObservable']

// Of the page of operators, as it describes them.
export declare const marbles$: (marbles: string) => Observable<Either<Disconnected, number>>
export declare const e: Disconnected
