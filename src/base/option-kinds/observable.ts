import { isObservable } from 'rxjs'
import type { Check } from './option.js'

// Not among the other checks: the help of commands loads them without RxJS.
export const observable: Check = { expected: 'an observable', holds: isObservable }
