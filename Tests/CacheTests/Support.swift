import Foundation
import HTTPChainCore
import HTTPTypes

@testable import HTTPChainCache

/// Sun, 06 Nov 1994 08:49:37 GMT, where the virtual clock begins.
let start = Date(timeIntervalSince1970: 784_111_777)
