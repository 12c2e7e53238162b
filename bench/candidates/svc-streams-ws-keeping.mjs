// The project over ws's message event alone, where each subscriber keeps its last event.
import { overMessages } from './over-messages.mjs'
import { keeping } from './project.mjs'

keeping({ webSocket: overMessages })
