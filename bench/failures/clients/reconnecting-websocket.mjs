import ReconnectingWebSocket from 'reconnecting-websocket'
import { openReconnecting } from './support/reconnecting.mjs'

export const open = (url) => openReconnecting(ReconnectingWebSocket, url)
