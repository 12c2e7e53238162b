import * as ws from 'ws'
import { genuineWs } from '../packages.js'

export const { WebSocketServer } = genuineWs(ws)
