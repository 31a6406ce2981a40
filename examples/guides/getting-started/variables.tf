variable "table_name" {
  type        = string
  default     = "signals"
  description = "Name of the table."
}

variable "package" {
  type        = string
  default     = "availability.zip"
  description = "Path of the function's zip."
}

variable "architecture" {
  type        = string
  default     = "arm64"
  description = "What the zip was built for: arm64 or x86_64."
}
