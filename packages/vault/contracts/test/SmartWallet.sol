// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A smart wallet with one key
/// @notice Tests only. ERC-1271: a signature by the owner's key over the hash is the wallet's signature.
contract SmartWallet is IERC1271 {
    /// @notice Whose key signs for this wallet.
    address public immutable owner;

    /// @notice The caller is not the owner.
    error NotOwner();

    /// @param owner_ whose key signs for this wallet
    constructor(address owner_) {
        owner = owner_;
    }

    /// @inheritdoc IERC1271
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address recovered, ECDSA.RecoverError error_, ) = ECDSA.tryRecoverCalldata(hash, signature);
        bool valid = error_ == ECDSA.RecoverError.NoError && recovered == owner;
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @notice Makes a call as the wallet. Only the owner.
    /// @param target who is called
    /// @param data the call's data
    /// @return what the call returned
    function execute(address target, bytes calldata data) external returns (bytes memory) {
        if (msg.sender != owner) revert NotOwner();
        return Address.functionCall(target, data);
    }
}
