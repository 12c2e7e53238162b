import { browserPlatform } from '../recording/read/browser-platform.js'
import { openHistoryOn } from './open-history.js'

// The history entry point in a browser. Its types are those of `index.ts`.

export { withPast } from '../../operators/with-past.js'

export const openHistory = openHistoryOn(browserPlatform, (url, init) => fetch(url, init))
