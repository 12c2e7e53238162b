import type { Observable } from 'rxjs'
import type { RunHelpers } from 'rxjs/internal/testing/TestScheduler'
import type { Address, Client, Topic } from 'svc-streams'
import type { Simulator } from 'svc-streams/simulator'

// The names that examples take for granted: one that is used in a block, and not declared there, is imported from here.

export declare const client: Client
export declare const simulator: Simulator

export const topic: Topic = 'svc-0xab'
export const mint: Address = '0xab'
export const eth: Topic = 'svc-0xee'
export const btc: Topic = 'svc-0xbb'

// What the reader has written.
export declare const log: (line: string) => void
export declare const trade: (price: number, quantity: bigint) => void
export declare const myStrategy: (client: Client) => Observable<string>

// What `TestScheduler.run` gives.
export declare const hot: RunHelpers['hot']
export declare const cold: RunHelpers['cold']
export declare const expectObservable: RunHelpers['expectObservable']
