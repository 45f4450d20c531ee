// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token that moves a different amount than it is told to
/// @notice Tests only. Anyone may mint and set the fees, so that a test can turn them on between two transfers.
contract FeeOnTransferToken is ERC20 {
    /// @notice Fee out of what the recipient gets, in hundredths of a percent.
    uint256 public recipientFee;
    /// @notice Fee on top of what the sender pays, in hundredths of a percent.
    uint256 public senderFee;

    constructor() ERC20("Fee on transfer", "FEE") {}

    /// @notice Makes `amount` base units for `to`.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Sets both fees, in hundredths of a percent.
    function setFees(uint256 recipientFee_, uint256 senderFee_) external {
        recipientFee = recipientFee_;
        senderFee = senderFee_;
    }

    /// @notice 6, as for USDC.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from == address(0) || to == address(0)) return;
        super._update(to, address(0), (value * recipientFee) / 10_000);
        super._update(from, address(0), (value * senderFee) / 10_000);
    }
}
