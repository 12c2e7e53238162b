import { WebSocket as PartySocket } from 'partysocket'
import { openReconnecting } from './support/reconnecting.mjs'

export const open = (url) => openReconnecting(PartySocket, url)
