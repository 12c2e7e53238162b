// The project as it is.
import { looking } from './project.mjs'

looking({})
