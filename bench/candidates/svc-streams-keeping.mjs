// The project as it is, where each subscriber keeps its last event.
import { keeping } from './project.mjs'

keeping({})
