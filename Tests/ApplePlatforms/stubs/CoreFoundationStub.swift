// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// Toll-free bridged types stand for their CF counterparts: `as` bridges as it does on Apple platforms.
import Foundation

// https://developer.apple.com/documentation/corefoundation/cftyperef
public typealias CFTypeRef = AnyObject
// https://developer.apple.com/documentation/corefoundation/cftypeid
public typealias CFTypeID = UInt
// https://developer.apple.com/documentation/corefoundation/cfstring
public typealias CFString = NSString
// https://developer.apple.com/documentation/corefoundation/cfdata
public typealias CFData = NSData
// https://developer.apple.com/documentation/corefoundation/cfarray
public typealias CFArray = NSArray
// https://developer.apple.com/documentation/corefoundation/cfdictionary
public typealias CFDictionary = NSDictionary
// https://developer.apple.com/documentation/corefoundation/cferror
public typealias CFError = NSErrorStub
// https://developer.apple.com/documentation/corefoundation/osstatus
public typealias OSStatus = Int32
public final class NSErrorStub: Error, @unchecked Sendable {}
// https://developer.apple.com/documentation/corefoundation/cferrorcopydescription(_:)
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! { nil }
// https://developer.apple.com/documentation/corefoundation/cfgettypeid(_:)
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { 0 }
