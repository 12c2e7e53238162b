import * as ws from 'ws'
import { genuineWs } from './ws-package.js'

export const { WebSocketServer } = genuineWs(ws)
