export { WebSocketServer } from '../../transport/ws/ws-package.js'
