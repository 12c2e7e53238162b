export { WebSocketServer } from '../../transport/ws/web-socket-server.js'
