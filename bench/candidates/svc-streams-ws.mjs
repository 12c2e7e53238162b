// The project over ws's message event alone, without the lane below it: its own decoding and sharing, and no more.
import { overMessages } from './over-messages.mjs'
import { looking } from './project.mjs'

looking({ webSocket: overMessages })
