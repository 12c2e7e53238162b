import { macrotasks } from './macrotask.js'

/** Resolves in a later turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void macrotasks()(resolve))
