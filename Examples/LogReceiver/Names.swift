import FlyingFox
import HTTPChain

// Names that the server and the chain both have: here the messages are the server's, and the JSON is the chain's.
typealias HTTPRequest = FlyingFox.HTTPRequest
typealias HTTPResponse = FlyingFox.HTTPResponse
typealias JSONValue = HTTPChain.JSONValue
