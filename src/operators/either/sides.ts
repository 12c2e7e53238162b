import type { Left, Right } from 'fp-ts/lib/Either.js'

/** The error type of an `Either`, or of a union of `Either`s. */
export type ErrorOf<Event> = Event extends Left<infer E> ? E : never

/** The value type of an `Either`, or of a union of `Either`s. */
export type ValueOf<Event> = Event extends Right<infer A> ? A : never
